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

T = TypeVar("T", bound="LeadCreated")


@_attrs_define
class LeadCreated:
    """A new lead was created.

    Attributes:
        status (Literal['created']): A new lead.
        lead_id (str): The id of the lead.
        project_id (str): The project that the lead opens. Quotes, deposits, invoices and rebates name it in their
            events.
    """

    status: Literal["created"]
    lead_id: str
    project_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        lead_id = self.lead_id

        project_id = self.project_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "status": status,
                "leadId": lead_id,
                "projectId": project_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = cast(Literal["created"], d.pop("status"))
        if status != "created":
            raise ValueError(f"status must match const 'created', got '{status}'")

        lead_id = d.pop("leadId")

        project_id = d.pop("projectId")

        lead_created = cls(
            status=status,
            lead_id=lead_id,
            project_id=project_id,
        )

        lead_created.additional_properties = d
        return lead_created

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
