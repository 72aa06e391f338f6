from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="JobDocument")


@_attrs_define
class JobDocument:
    """A document of a job.

    Attributes:
        id (str): The id of the document.
        category (str): What kind of document it is. SCOPE, PERMIT, MANUAL, WARRANTY, COMPLETION, CONTRACT_METADATA, or
            a newer value.
        mime (str): Media type, e.g. `application/pdf`.
        available_at (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
    """

    id: str
    category: str
    mime: str
    available_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        category = self.category

        mime = self.mime

        available_at = self.available_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "category": category,
                "mime": mime,
                "availableAt": available_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        category = d.pop("category")

        mime = d.pop("mime")

        available_at = datetime.datetime.fromisoformat(d.pop("availableAt"))

        job_document = cls(
            id=id,
            category=category,
            mime=mime,
            available_at=available_at,
        )

        job_document.additional_properties = d
        return job_document

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
