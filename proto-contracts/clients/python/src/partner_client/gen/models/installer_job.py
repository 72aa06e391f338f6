from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.customer import Customer
    from ..models.job_document import JobDocument
    from ..models.job_schedule import JobSchedule
    from ..models.job_scope import JobScope
    from ..models.readiness import Readiness
    from ..models.selling_company import SellingCompany
    from ..models.technician_assignment import TechnicianAssignment


T = TypeVar("T", bound="InstallerJob")


@_attrs_define
class InstallerJob:
    """A job as its installer may see it. It never holds the customer's email address, prices, costs, margin, financing,
    payments or signatures.

        Attributes:
            id (str): The id of the job.
            version (int): Starts at 1 and increases by 1 with each change of the job. Send it back as `expectedVersion`.
            status (str): The status of a job. ASSIGNED, ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE,
                CANCELLED, or a newer value.
            company (SellingCompany): The company that sold the job.
            customer (Customer): The customer of a job.
            scope (JobScope): What is to be installed.
            schedule (JobSchedule): When work is planned.
            readiness (Readiness): Whether work can begin.
            documents (list[JobDocument]): The documents of the job.
            technician_assignments (list[TechnicianAssignment]): In the given order.
            updated_at (datetime.datetime): ISO 8601 in UTC, always with milliseconds and `Z`.
            redacted (bool | Unset): True: personal data was erased from it on request. Names, phone and address are
                `[erased]`, notes are null. Absent otherwise.
    """

    id: str
    version: int
    status: str
    company: SellingCompany
    customer: Customer
    scope: JobScope
    schedule: JobSchedule
    readiness: Readiness
    documents: list[JobDocument]
    technician_assignments: list[TechnicianAssignment]
    updated_at: datetime.datetime
    redacted: bool | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        version = self.version

        status = self.status

        company = self.company.to_dict()

        customer = self.customer.to_dict()

        scope = self.scope.to_dict()

        schedule = self.schedule.to_dict()

        readiness = self.readiness.to_dict()

        documents = []
        for documents_item_data in self.documents:
            documents_item = documents_item_data.to_dict()
            documents.append(documents_item)

        technician_assignments = []
        for technician_assignments_item_data in self.technician_assignments:
            technician_assignments_item = technician_assignments_item_data.to_dict()
            technician_assignments.append(technician_assignments_item)

        updated_at = self.updated_at.isoformat()

        redacted = self.redacted

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "version": version,
                "status": status,
                "company": company,
                "customer": customer,
                "scope": scope,
                "schedule": schedule,
                "readiness": readiness,
                "documents": documents,
                "technicianAssignments": technician_assignments,
                "updatedAt": updated_at,
            }
        )
        if redacted is not UNSET:
            field_dict["redacted"] = redacted

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.customer import Customer  # noqa: PLC0415
        from ..models.job_document import JobDocument  # noqa: PLC0415
        from ..models.job_schedule import JobSchedule  # noqa: PLC0415
        from ..models.job_scope import JobScope  # noqa: PLC0415
        from ..models.readiness import Readiness  # noqa: PLC0415
        from ..models.selling_company import SellingCompany  # noqa: PLC0415
        from ..models.technician_assignment import TechnicianAssignment  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        version = d.pop("version")

        status = d.pop("status")

        company = SellingCompany.from_dict(d.pop("company"))

        customer = Customer.from_dict(d.pop("customer"))

        scope = JobScope.from_dict(d.pop("scope"))

        schedule = JobSchedule.from_dict(d.pop("schedule"))

        readiness = Readiness.from_dict(d.pop("readiness"))

        documents = []
        _documents = d.pop("documents")
        for documents_item_data in _documents:
            documents_item = JobDocument.from_dict(documents_item_data)

            documents.append(documents_item)

        technician_assignments = []
        _technician_assignments = d.pop("technicianAssignments")
        for technician_assignments_item_data in _technician_assignments:
            technician_assignments_item = TechnicianAssignment.from_dict(
                technician_assignments_item_data
            )

            technician_assignments.append(technician_assignments_item)

        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))

        redacted = d.pop("redacted", UNSET)

        installer_job = cls(
            id=id,
            version=version,
            status=status,
            company=company,
            customer=customer,
            scope=scope,
            schedule=schedule,
            readiness=readiness,
            documents=documents,
            technician_assignments=technician_assignments,
            updated_at=updated_at,
            redacted=redacted,
        )

        installer_job.additional_properties = d
        return installer_job

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
