#ifndef PETSPOT_CCURL_H
#define PETSPOT_CCURL_H

#include <stddef.h>

/* HTTP requests through libcurl. The library isn't linked but opened on first use. */

typedef struct petspot_curl petspot_curl;

typedef struct {
  const char *method, *url;
  const char *const *headers; /* "name: value" */
  size_t header_count;
  const void *body; /* NULL if there is no body */
  size_t body_size;
  long timeout_ms, connect_ms;
  long silence_s;  /* fails after this many seconds without a byte */
  size_t longest;  /* maximum size of the response body in bytes */
  int is_once;     /* doesn't resend the body if a reused connection was lost */
  int is_fresh;    /* opens a new connection */
  long redirects;  /* maximum number of redirects to follow */
  void *context;   /* the argument of `is_cancelled` */
  int (*is_cancelled)(void *context); /* called at least once a second; cancels if nonzero */
} petspot_curl_request;

typedef struct {
  int code;      /* libcurl's result; 0 if the response is complete */
  char why[256]; /* libcurl's error message */
  long status;
  char *headers; /* as received, including line ends */
  size_t headers_size;
  unsigned char *body;
  size_t body_size;
} petspot_curl_answer;

/* Opens the library. Returns NULL on success, or the reason for the failure. */
const char *petspot_curl_open(void);
/* Returns the versions of the library and its TLS library. Requires an open library. */
const char *petspot_curl_version(void);
/* Parses an HTTP date with curl_getdate. Returns seconds since 1970, or -1. Requires an open library. */
long petspot_curl_seconds(const char *date);
/* Creates a handle, which keeps its connections for later requests. Use it on one thread at a time. */
petspot_curl *petspot_curl_make(void);
void petspot_curl_free(petspot_curl *curl);
void petspot_curl_ask(petspot_curl *curl, const petspot_curl_request *request, petspot_curl_answer *answer);
typedef struct {
  const char *url;
  const char *user, *password; /* NULL for no login */
  const char *from, *to;       /* addresses without names */
  const void *bytes;
  size_t size;
  int needs_tls; /* fails if the connection doesn't switch to TLS */
  long timeout_ms;
} petspot_curl_mail;

/* Sends a mail by SMTP. The answer contains only `code`, `why` and the server's last status. */
void petspot_curl_post(petspot_curl *curl, const petspot_curl_mail *mail, petspot_curl_answer *answer);
/* Frees the headers and body of an answer. */
void petspot_curl_drop(petspot_curl_answer *answer);

#endif
