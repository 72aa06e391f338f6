package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func receive(w http.ResponseWriter, r *http.Request) {
	// The bytes as they came: JSON that was parsed and written again has another signature.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}

	// The secret of the version that signed it. While you rotate, two are set: WEBHOOK_SECRET_1 and WEBHOOK_SECRET_2.
	secret := os.Getenv("WEBHOOK_SECRET_" + r.Header.Get("x-svc-secret-version"))
	if secret == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	// The signature over the raw body, compared in constant time, and that it is at most 300 seconds old.
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if err := webhook.Verify(body, r.Header); err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	// The same event can come more than once: it is processed once, and acknowledged each time.
	eventID := r.Header.Get("webhook-id")
	stored, err := isStored(eventID)
	if err == nil && !stored {
		// Only now look into the body.
		var event map[string]any
		if err = json.Unmarshal(body, &event); err == nil {
			err = store(eventID, event)
		}
	}

	// Respond 2xx only after it is stored; anything else makes the delivery come again.
	if err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Yours: the events in a database. An id is stored once, also when two deliveries of it arrive together
// (for example: insert into events (id, body) values ($1, $2) on conflict (id) do nothing).
func isStored(eventID string) (bool, error) { return false, errors.New("not written yet") }

func store(eventID string, event map[string]any) error { return errors.New("not written yet") }

func main() {
	http.HandleFunc("/webhooks", receive)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
