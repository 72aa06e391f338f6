from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.installer_job import InstallerJob


T = TypeVar("T", bound="Job")


@_attrs_define
class Job:
    """One job with the version of the API that shows it.

    Attributes:
        api_version (str): The API version date of this response, as in the header `x-svc-api-version`.
        resource (InstallerJob): A job as its installer may see it. It never holds the customer's email address, prices,
            costs, margin, financing, payments or signatures.
    """

    api_version: str
    resource: InstallerJob
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        api_version = self.api_version

        resource = self.resource.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "apiVersion": api_version,
                "resource": resource,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.installer_job import InstallerJob  # noqa: PLC0415

        d = dict(src_dict)
        api_version = d.pop("apiVersion")

        resource = InstallerJob.from_dict(d.pop("resource"))

        job = cls(
            api_version=api_version,
            resource=resource,
        )

        job.additional_properties = d
        return job

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
