"""Money and its parts as payments report them."""
import dataclasses


def money(value):
    """The minor units and the currency of a Money, or (None, None)."""
    return (value["value"], value["currency"]) if value else (None, None)


@dataclasses.dataclass
class Amounts:
    """A total with the parts that were reported with it. A part that was not reported is None."""
    total: int
    currency: str
    tip: int = None
    tax: int = None
    fee: int = None
    cashback: int = None
    parts: tuple = ()

    @classmethod
    def read(cls, data):
        """The amounts of an event, or None."""
        if not data or not data.get("total"):
            return None
        total, currency = money(data["total"])

        def part(name):
            value, part_currency = money(data.get(name))
            return value if part_currency == currency else None

        parts = tuple((part["kind"], part.get("label") or "", part["amount"]["value"])
                      for part in data.get("parts") or () if part["amount"]["currency"] == currency)
        return cls(total, currency, part("tip"), part("tax"), part("fee"), part("cashback"), parts)

    @property
    def without_tip(self):
        return self.total - (self.tip or 0)

    def filled(self, others):
        """These amounts with the parts that only another report of the same total has.

        Another report with the same amount beside the tip knows the taxes and fees too, but not the tip.
        """
        result = dataclasses.replace(self)
        for other in others:
            if other.currency != self.currency:
                continue
            is_same = other.total == self.total and self.tip in (None, other.tip)
            if is_same and result.tip is None:
                result.tip = other.tip
            if is_same or (self.tip is not None and other.without_tip == self.without_tip):
                for name in ("tax", "fee", "cashback"):
                    if getattr(result, name) is None:
                        setattr(result, name, getattr(other, name))
                result.parts = result.parts or other.parts
        return result

    def taxes(self):
        """What each tax authority is owed: labels in the order of the report, then the part of the tax without one."""
        labelled = {}
        for kind, label, value in self.parts:
            if kind == "tax" and label:
                labelled[label] = labelled.get(label, 0) + value
        listed = sum(value for kind, _, value in self.parts if kind == "tax")
        rest = (listed if self.tax is None else self.tax) - sum(labelled.values())
        return [*labelled.items(), ("", max(rest, 0))]

    def surcharge(self):
        if self.fee is not None:
            return self.fee
        return sum(value for kind, _, value in self.parts if kind == "fee")
