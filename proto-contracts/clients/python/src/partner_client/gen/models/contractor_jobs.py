from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.contractor_job import ContractorJob


T = TypeVar("T", bound="ContractorJobs")


@_attrs_define
class ContractorJobs:
    """Sold jobs, most recently updated first.

    Attributes:
        jobs (list[ContractorJob]): At most `take` of them; fewer if their notes are so long that the response would
            exceed 8 MiB.
        has_more (bool): Whether there are more jobs than these.
    """

    jobs: list[ContractorJob]
    has_more: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        jobs = []
        for jobs_item_data in self.jobs:
            jobs_item = jobs_item_data.to_dict()
            jobs.append(jobs_item)

        has_more = self.has_more

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "jobs": jobs,
                "hasMore": has_more,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.contractor_job import ContractorJob  # noqa: PLC0415

        d = dict(src_dict)
        jobs = []
        _jobs = d.pop("jobs")
        for jobs_item_data in _jobs:
            jobs_item = ContractorJob.from_dict(jobs_item_data)

            jobs.append(jobs_item)

        has_more = d.pop("hasMore")

        contractor_jobs = cls(
            jobs=jobs,
            has_more=has_more,
        )

        contractor_jobs.additional_properties = d
        return contractor_jobs

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
