#ifndef PETSPOT_CCURL_H
#define PETSPOT_CCURL_H

#include <stddef.h>

/* HTTP exchanges through libcurl, which is opened on first use: nothing links it. */

typedef struct petspot_curl petspot_curl;

typedef struct {
  const char *method, *url;
  const char *const *headers; /* "name: value" */
  size_t header_count;
  const void *body; /* NULL for none */
  size_t body_size;
  long timeout_ms, connect_ms;
  long silence_s;  /* gives up after so many seconds without a byte */
  size_t longest;  /* bytes of the answer's body, at most */
  int is_once;     /* the body is not sent anew where a kept connection turns out to be lost */
  int is_fresh;    /* makes a new connection */
  long redirects;  /* followed at most */
  void *context;   /* of the function below */
  int (*is_cancelled)(void *context); /* asked at least once a second; gives up when not 0 */
} petspot_curl_request;

typedef struct {
  int code;      /* of libcurl, 0 when an answer came whole */
  char why[256]; /* its words */
  long status;
  char *headers; /* as they came, each line with its end */
  size_t headers_size;
  unsigned char *body;
  size_t body_size;
} petspot_curl_answer;

/* Opens the library; NULL when it is open, else why it is not. */
const char *petspot_curl_open(void);
/* The library's version and that of its TLS, once it is open. */
const char *petspot_curl_version(void);
/* Seconds since 1970 of a date of HTTP (curl_getdate), -1 for another text; once it is open. */
long petspot_curl_seconds(const char *date);
/* A handle keeps its connections for the next exchange; one thread at a time. */
petspot_curl *petspot_curl_make(void);
void petspot_curl_free(petspot_curl *curl);
void petspot_curl_ask(petspot_curl *curl, const petspot_curl_request *request, petspot_curl_answer *answer);
typedef struct {
  const char *url;
  const char *user, *password; /* NULL for none */
  const char *from, *to;       /* addresses alone */
  const void *bytes;
  size_t size;
  int needs_tls; /* sends nothing over a connection that does not turn to TLS */
  long timeout_ms;
} petspot_curl_mail;

/* Sends a mail by SMTP; the answer has only code, words and the server's last status. */
void petspot_curl_post(petspot_curl *curl, const petspot_curl_mail *mail, petspot_curl_answer *answer);
/* Frees what an answer holds. */
void petspot_curl_drop(petspot_curl_answer *answer);

#endif
