"""Contains all the data models used in inputs/outputs"""

from .address import Address
from .appointment_booked import AppointmentBooked
from .appointment_in import AppointmentIn
from .assignments_in import AssignmentsIn
from .contractor_job import ContractorJob
from .contractor_jobs import ContractorJobs
from .customer import Customer
from .equipment_item import EquipmentItem
from .event_feed import EventFeed
from .event_replay_by_ids import EventReplayByIds
from .event_replay_by_numbers import EventReplayByNumbers
from .event_replay_by_time import EventReplayByTime
from .event_replay_preview import EventReplayPreview
from .event_replays import EventReplays
from .feed_entry import FeedEntry
from .feed_event import FeedEvent
from .feed_event_headers import FeedEventHeaders
from .installer_job import InstallerJob
from .job import Job
from .job_document import JobDocument
from .job_feed import JobFeed
from .job_note_in import JobNoteIn
from .job_schedule import JobSchedule
from .job_scope import JobScope
from .lead_created import LeadCreated
from .lead_in import LeadIn
from .lead_merged import LeadMerged
from .list_inbound_events_from import ListInboundEventsFrom
from .list_installer_events_from import ListInstallerEventsFrom
from .list_job_feed_from import ListJobFeedFrom
from .list_job_feed_include import ListJobFeedInclude
from .list_job_feed_view import ListJobFeedView
from .manifest_entry import ManifestEntry
from .previewed_webhook import PreviewedWebhook
from .readiness import Readiness
from .schedule_in import ScheduleIn
from .schedule_in_status import ScheduleInStatus
from .selling_company import SellingCompany
from .status_event_in import StatusEventIn
from .status_event_in_blocker_code import StatusEventInBlockerCode
from .status_event_in_status import StatusEventInStatus
from .supplier_source import SupplierSource
from .technician import Technician
from .technician_assignment import TechnicianAssignment
from .technicians import Technicians
from .unassigned_job import UnassignedJob
from .versioned_event_feed import VersionedEventFeed
from .versioned_event_replay import VersionedEventReplay
from .versioned_event_replay_preview import VersionedEventReplayPreview
from .versioned_event_replays import VersionedEventReplays
from .versioned_webhook_manifest import VersionedWebhookManifest
from .webhook_bulk_replay import WebhookBulkReplay
from .webhook_failure_cause import WebhookFailureCause
from .webhook_manifest import WebhookManifest

__all__ = (
    "Address",
    "AppointmentBooked",
    "AppointmentIn",
    "AssignmentsIn",
    "ContractorJob",
    "ContractorJobs",
    "Customer",
    "EquipmentItem",
    "EventFeed",
    "EventReplayByIds",
    "EventReplayByNumbers",
    "EventReplayByTime",
    "EventReplayPreview",
    "EventReplays",
    "FeedEntry",
    "FeedEvent",
    "FeedEventHeaders",
    "InstallerJob",
    "Job",
    "JobDocument",
    "JobFeed",
    "JobNoteIn",
    "JobSchedule",
    "JobScope",
    "LeadCreated",
    "LeadIn",
    "LeadMerged",
    "ListInboundEventsFrom",
    "ListInstallerEventsFrom",
    "ListJobFeedFrom",
    "ListJobFeedInclude",
    "ListJobFeedView",
    "ManifestEntry",
    "PreviewedWebhook",
    "Readiness",
    "ScheduleIn",
    "ScheduleInStatus",
    "SellingCompany",
    "StatusEventIn",
    "StatusEventInBlockerCode",
    "StatusEventInStatus",
    "SupplierSource",
    "Technician",
    "TechnicianAssignment",
    "Technicians",
    "UnassignedJob",
    "VersionedEventFeed",
    "VersionedEventReplay",
    "VersionedEventReplayPreview",
    "VersionedEventReplays",
    "VersionedWebhookManifest",
    "WebhookBulkReplay",
    "WebhookFailureCause",
    "WebhookManifest",
)
