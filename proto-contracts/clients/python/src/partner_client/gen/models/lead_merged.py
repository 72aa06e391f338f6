from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="LeadMerged")


@_attrs_define
class LeadMerged:
    """The lead was merged into an existing one. The fields of the first one stay.

    Attributes:
        status (Literal['merged']): The lead existed already.
        lead_id (str): The existing lead.
        project_id (str): The project of the lead. Quotes, deposits, invoices and rebates name it in their events.
        reason (str): Why they were merged, for people.
    """

    status: Literal["merged"]
    lead_id: str
    project_id: str
    reason: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        lead_id = self.lead_id

        project_id = self.project_id

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "status": status,
                "leadId": lead_id,
                "projectId": project_id,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = cast(Literal["merged"], d.pop("status"))
        if status != "merged":
            raise ValueError(f"status must match const 'merged', got '{status}'")

        lead_id = d.pop("leadId")

        project_id = d.pop("projectId")

        reason = d.pop("reason")

        lead_merged = cls(
            status=status,
            lead_id=lead_id,
            project_id=project_id,
            reason=reason,
        )

        lead_merged.additional_properties = d
        return lead_merged

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
