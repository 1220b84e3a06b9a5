import Gateways
