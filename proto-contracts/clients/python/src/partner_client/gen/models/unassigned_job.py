from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="UnassignedJob")


@_attrs_define
class UnassignedJob:
    """A job that has left your company.

    Attributes:
        sequence (int): Place in your company's feed, in the same numbers as the entries.
        job_id (str): The job.
        unassigned_at (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
    """

    sequence: int
    job_id: str
    unassigned_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        sequence = self.sequence

        job_id = self.job_id

        unassigned_at = self.unassigned_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "sequence": sequence,
                "jobId": job_id,
                "unassignedAt": unassigned_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        sequence = d.pop("sequence")

        job_id = d.pop("jobId")

        unassigned_at = datetime.datetime.fromisoformat(d.pop("unassignedAt"))

        unassigned_job = cls(
            sequence=sequence,
            job_id=job_id,
            unassigned_at=unassigned_at,
        )

        unassigned_job.additional_properties = d
        return unassigned_job

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
