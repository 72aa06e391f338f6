from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="LeadIn")


@_attrs_define
class LeadIn:
    """A lead as you submit it.

    Attributes:
        full_name (str): The customer's name.
        email (str): In ASCII; write an internationalized domain in Punycode (`xn--…`). At most 64 characters before the
            `@`.
        phone (str): In any notation.
        address (str): The address of the work in one text, best with ZIP code. Leads of one company are merged by it;
            case, punctuation and the usual abbreviations (N. and North, St and Street, Apt and #) do not matter.
        sms_consent (bool | Unset): Whether the customer agreed to text messages.
    """

    full_name: str
    email: str
    phone: str
    address: str
    sms_consent: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        full_name = self.full_name

        email = self.email

        phone = self.phone

        address = self.address

        sms_consent = self.sms_consent

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "fullName": full_name,
                "email": email,
                "phone": phone,
                "address": address,
            }
        )
        if sms_consent is not UNSET:
            field_dict["smsConsent"] = sms_consent

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        full_name = d.pop("fullName")

        email = d.pop("email")

        phone = d.pop("phone")

        address = d.pop("address")

        sms_consent = d.pop("smsConsent", UNSET)

        lead_in = cls(
            full_name=full_name,
            email=email,
            phone=phone,
            address=address,
            sms_consent=sms_consent,
        )

        lead_in.additional_properties = d
        return lead_in

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
