"""The version of the API that this code was generated from."""

API_VERSION = "2026-08-26"
