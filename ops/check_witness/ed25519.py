"""Ed25519 (RFC 8032) in plain Python. Not constant in time: only for keys of checks."""
import functools
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
# A point is (x, y, z, t) with affine x/z, y/z and t = xy/z.
ZERO = (0, 1, 1, 0)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def double(p):
    a, b, c = p[0] * p[0] % P, p[1] * p[1] % P, 2 * p[2] * p[2] % P
    h = a + b
    e, g = h - (p[0] + p[1]) ** 2 % P, a - b
    f = c + g
    return e * f % P, g * h % P, f * g % P, e * h % P

def multiply(point, scalar):
    multiples = [ZERO]
    for _ in range(15):
        multiples.append(add(multiples[-1], point))
    result = ZERO
    for shift in range(252, -4, -4):
        for _ in range(4):
            result = double(result)
        result = add(result, multiples[scalar >> shift & 15])
    return result

def recover_x(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x

def encode(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")

def decode(encoded):
    number = int.from_bytes(encoded, "little")
    y = number & (1 << 255) - 1
    x = recover_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % P)

def base_multiples():
    """For each of the 64 digits of a scalar, the 16 multiples of the base point."""
    y = 4 * pow(5, -1, P) % P
    x = recover_x(y, 0)
    point, table = (x, y, 1, x * y % P), []
    for _ in range(64):
        row = [ZERO]
        for _ in range(15):
            row.append(add(row[-1], point))
        table.append(row)
        point = add(row[-1], point)
    return table

BASE = base_multiples()

def multiply_base(scalar):
    result = ZERO
    for digit, row in enumerate(BASE):
        result = add(result, row[scalar >> 4 * digit & 15])
    return result

def scalar_of(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER

def secret_scalar(seed):
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]

@functools.lru_cache(maxsize=None)
def public_key(seed):
    return encode(multiply_base(secret_scalar(seed)[0]))

@functools.lru_cache(maxsize=4096)
def sign(seed, message):
    secret, prefix = secret_scalar(seed)
    nonce = scalar_of(prefix, message)
    commitment = encode(multiply_base(nonce))
    challenge = scalar_of(commitment, public_key(seed), message)
    return commitment + ((nonce + challenge * secret) % ORDER).to_bytes(32, "little")

@functools.lru_cache(maxsize=4096)
def verify(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    point, scalar = decode(public), int.from_bytes(signature[32:], "little")
    if point is None or scalar >= ORDER:
        return False
    challenge = scalar_of(signature[:32], public, message)
    negative = (P - point[0], point[1], 1, P - point[3])
    return encode(add(multiply_base(scalar), multiply(negative, challenge))) == signature[:32]
