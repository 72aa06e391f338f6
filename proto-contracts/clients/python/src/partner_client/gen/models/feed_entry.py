from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.installer_job import InstallerJob


T = TypeVar("T", bound="FeedEntry")


@_attrs_define
class FeedEntry:
    """One change of one job, with the whole job as of that change.

    Attributes:
        sequence (int): Place in your company's feed: without gaps, in the order of the changes. In a snapshot the place
            at which it began, the same in all its entries.
        changed_at (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
        resource (InstallerJob): A job as its installer may see it. It never holds the customer's email address, prices,
            costs, margin, financing, payments or signatures.
    """

    sequence: int
    changed_at: datetime.datetime
    resource: InstallerJob
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        sequence = self.sequence

        changed_at = self.changed_at.isoformat()

        resource = self.resource.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "sequence": sequence,
                "changedAt": changed_at,
                "resource": resource,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.installer_job import InstallerJob  # noqa: PLC0415

        d = dict(src_dict)
        sequence = d.pop("sequence")

        changed_at = datetime.datetime.fromisoformat(d.pop("changedAt"))

        resource = InstallerJob.from_dict(d.pop("resource"))

        feed_entry = cls(
            sequence=sequence,
            changed_at=changed_at,
            resource=resource,
        )

        feed_entry.additional_properties = d
        return feed_entry

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
