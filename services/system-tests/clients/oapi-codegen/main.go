package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"
)

func clientOf(header, value string) *ClientWithResponses {
	client, err := NewClientWithResponses(os.Getenv("BASE_URL"), WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set(header, value)
			return nil
		}))
	check(err, nil)
	return client
}

func check(err error, body []byte) {
	if err != nil {
		log.Fatal(err, string(body))
	}
}

func main() {
	ctx := context.Background()
	seller := clientOf("x-api-key", os.Getenv("SELLER_KEY"))
	installer := clientOf("x-api-key", os.Getenv("INSTALLER_KEY"))
	owner := clientOf("cookie", os.Getenv("COOKIE"))
	unique, jobID := os.Getenv("UNIQUE"), os.Getenv("JOB_ID")

	lead, err := seller.CreateLeadWithResponse(ctx, nil, LeadIn{
		FullName: "Ada Quill", Email: "ada@example.com", Phone: "+1 512 555 0100", Address: unique + " Main Street",
	})
	check(err, nil)
	if lead.JSON201 == nil {
		log.Fatal(string(lead.Body))
	}
	from, limit := Start, 100
	feed, err := installer.ListJobFeedWithResponse(ctx, &ListJobFeedParams{From: &from, Limit: &limit})
	check(err, nil)
	if feed.JSON200 == nil {
		log.Fatal(string(feed.Body))
	}
	version := 0
	for _, entry := range feed.JSON200.Resources {
		if entry.Resource.Id == jobID {
			version = entry.Resource.Version
		}
	}
	// A time in Go has the zone of the machine; one in UTC is written with `Z`.
	job, err := installer.RecordStatusEventWithResponse(ctx, jobID, &RecordStatusEventParams{IdempotencyKey: unique}, StatusEventIn{
		Status: StatusEventInStatusACKNOWLEDGED, OccurredAt: time.Now().UTC(), ExpectedVersion: version,
	})
	check(err, nil)
	if job.JSON201 == nil {
		log.Fatal(string(job.Body))
	}
	webhook, err := owner.PauseWebhookWithResponse(ctx, os.Getenv("WEBHOOK_ID"), &PauseWebhookParams{Origin: os.Getenv("ORIGIN")})
	check(err, nil)
	if webhook.JSON200 == nil {
		log.Fatal(string(webhook.Body))
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"leadId":  lead.JSON201.LeadId,
		"version": job.JSON201.Resource.Version,
		"state":   webhook.JSON200.State,
	}), nil)
}
