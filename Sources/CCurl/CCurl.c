#include "CCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Constants of curl/curl.h. Their values never change, because libcurl guarantees a stable ABI. */
enum {
  URL = 10002, WRITE_DATA = 10001, ERROR_BUFFER = 10010, POST_FIELDS = 10015, READ_DATA = 10009, READ_FUNCTION = 20012, IN_FILE_SIZE = 30115, UPLOAD = 46, HTTP_HEADER = 10023,
  HEADER_DATA = 10029, CUSTOM_REQUEST = 10036, WRITE_FUNCTION = 20011, HEADER_FUNCTION = 20079,
  SOCKOPT_FUNCTION = 20148, PROGRESS_DATA = 10057, PROGRESS_FUNCTION = 20219, NO_PROGRESS = 43, POST_FIELD_SIZE = 30120, LOW_SPEED_LIMIT = 19, LOW_SPEED_TIME = 20,
  NO_BODY = 44, FOLLOW_LOCATION = 52, MAX_REDIRECTS = 68, FRESH_CONNECT = 74, HTTP_VERSION = 84, NO_SIGNAL = 99, TIMEOUT_MS = 155,
  CONNECT_TIMEOUT_MS = 156, PROTOCOLS = 181, PATH_AS_IS = 234,
  USE_SSL = 119, FORBID_REUSE = 75, USER_NAME = 10173, PASSWORD = 10174, MAIL_FROM = 10186, MAIL_RECIPIENTS = 10187, SMTP_AND_SMTPS = 3 << 16, SSL_ALL = 3,
  RESPONSE_CODE = 0x200002, HTTP_1_1 = 2, HTTP_AND_HTTPS = 3, GLOBAL_DEFAULT = 3, FAILED_INIT = 2,
};

static int (*global_init)(long);
static void *(*easy_init)(void);
static void (*easy_cleanup)(void *), (*easy_reset)(void *), (*slist_free)(void *);
static int (*easy_perform)(void *);
static int (*easy_setopt)(void *, int, ...), (*easy_getinfo)(void *, int, ...);
static const char *(*easy_strerror)(int);
static void *(*slist_append)(void *, const char *);
static char *(*version)(void);
static time_t (*get_date)(const char *, const time_t *);
static const char *problem;

static void open_library(void) {
  void *library = NULL;
  const char *names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
  for (size_t i = 0; i < 2 && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = "libcurl is missing";
    return;
  }
  struct { void **function; const char *name; } functions[] = {
    {(void **)&global_init, "curl_global_init"}, {(void **)&easy_init, "curl_easy_init"},
    {(void **)&easy_cleanup, "curl_easy_cleanup"}, {(void **)&easy_reset, "curl_easy_reset"},
    {(void **)&slist_free, "curl_slist_free_all"}, {(void **)&easy_perform, "curl_easy_perform"},
    {(void **)&easy_setopt, "curl_easy_setopt"}, {(void **)&easy_getinfo, "curl_easy_getinfo"},
    {(void **)&easy_strerror, "curl_easy_strerror"}, {(void **)&slist_append, "curl_slist_append"},
    {(void **)&version, "curl_version"}, {(void **)&get_date, "curl_getdate"},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    *functions[i].function = dlsym(library, functions[i].name);
    if (!*functions[i].function) {
      problem = "libcurl lacks a function";
      return;
    }
  }
  if (global_init(GLOBAL_DEFAULT) != 0) problem = "libcurl does not start";
}

const char *petspot_curl_open(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return problem;
}

const char *petspot_curl_version(void) { return version(); }

long petspot_curl_seconds(const char *date) { return get_date(date, NULL); }

petspot_curl *petspot_curl_make(void) { return easy_init(); }

void petspot_curl_free(petspot_curl *curl) { easy_cleanup(curl); }

struct piece {
  unsigned char *bytes;
  size_t size, room, longest;
};

static size_t take(void *bytes, size_t one, size_t count, void *context) {
  struct piece *piece = context;
  size_t size = one * count;
  if (size > piece->longest - piece->size) return 0;
  if (piece->size + size > piece->room) {
    size_t room = piece->room ? piece->room : 4096;
    while (room < piece->size + size) room *= 2;
    unsigned char *grown = realloc(piece->bytes, room);
    if (!grown) return 0;
    piece->bytes = grown;
    piece->room = room;
  }
  memcpy(piece->bytes + piece->size, bytes, size);
  piece->size += size;
  return size;
}

struct rest {
  const unsigned char *bytes;
  size_t size;
};

/* Passes the rest of a body to libcurl. It can't be rewound, so libcurl never sends a body twice. */
static size_t give(char *into, size_t one, size_t count, void *context) {
  struct rest *rest = context;
  size_t size = one * count < rest->size ? one * count : rest->size;
  memcpy(into, rest->bytes, size);
  rest->bytes += size;
  rest->size -= size;
  return size;
}

/* Keeps processes that are started during the exchange from inheriting the connection. */
static int keep_own(void *context, int file, int purpose) {
  (void)context, (void)purpose;
  fcntl(file, F_SETFD, FD_CLOEXEC);
  return 0;
}

static int goes_on(void *context, long long down, long long downloaded, long long up, long long uploaded) {
  const petspot_curl_request *request = context;
  (void)down, (void)downloaded, (void)up, (void)uploaded;
  return request->is_cancelled(request->context);
}

void petspot_curl_ask(petspot_curl *curl, const petspot_curl_request *request, petspot_curl_answer *answer) {
  memset(answer, 0, sizeof *answer);
  struct rest rest = {.bytes = request->body, .size = request->body_size};
  struct piece body = {.longest = request->longest}, headers = {.longest = 1 << 20};
  void *list = NULL;
  for (size_t i = 0; i < request->header_count; i++) {
    void *longer = slist_append(list, request->headers[i]);
    if (!longer) {
      slist_free(list);
      answer->code = FAILED_INIT;
      strcpy(answer->why, "out of memory");
      return;
    }
    list = longer;
  }
  easy_setopt(curl, URL, request->url);
  easy_setopt(curl, CUSTOM_REQUEST, request->method);
  easy_setopt(curl, HTTP_HEADER, list);
  easy_setopt(curl, ERROR_BUFFER, answer->why);
  easy_setopt(curl, WRITE_FUNCTION, take);
  easy_setopt(curl, WRITE_DATA, &body);
  easy_setopt(curl, HEADER_FUNCTION, take);
  easy_setopt(curl, HEADER_DATA, &headers);
  easy_setopt(curl, SOCKOPT_FUNCTION, keep_own);
  easy_setopt(curl, PROGRESS_FUNCTION, goes_on);
  easy_setopt(curl, PROGRESS_DATA, request);
  easy_setopt(curl, NO_PROGRESS, request->is_cancelled ? 0L : 1L);
  easy_setopt(curl, NO_SIGNAL, 1L);
  easy_setopt(curl, PROTOCOLS, (long)HTTP_AND_HTTPS);
  easy_setopt(curl, HTTP_VERSION, (long)HTTP_1_1);
  easy_setopt(curl, PATH_AS_IS, 1L);
  easy_setopt(curl, TIMEOUT_MS, request->timeout_ms);
  easy_setopt(curl, CONNECT_TIMEOUT_MS, request->connect_ms);
  easy_setopt(curl, LOW_SPEED_LIMIT, 1L);
  easy_setopt(curl, LOW_SPEED_TIME, request->silence_s);
  easy_setopt(curl, FOLLOW_LOCATION, request->redirects > 0 ? 1L : 0L);
  easy_setopt(curl, MAX_REDIRECTS, request->redirects);
  easy_setopt(curl, FRESH_CONNECT, (long)request->is_fresh);
  if (request->body && request->is_once) {
    easy_setopt(curl, UPLOAD, 1L);
    easy_setopt(curl, READ_FUNCTION, give);
    easy_setopt(curl, READ_DATA, &rest);
    easy_setopt(curl, IN_FILE_SIZE, (long long)request->body_size);
  } else if (request->body) {
    easy_setopt(curl, POST_FIELDS, request->body);
    easy_setopt(curl, POST_FIELD_SIZE, (long long)request->body_size);
  } else if (strcmp(request->method, "HEAD") == 0) {
    easy_setopt(curl, NO_BODY, 1L);
  }
  answer->code = easy_perform(curl);
  if (answer->code && !*answer->why) strncpy(answer->why, easy_strerror(answer->code), sizeof answer->why - 1);
  easy_getinfo(curl, RESPONSE_CODE, &answer->status);
  /* The handle keeps its connection but no pointers to this function's data. */
  easy_reset(curl);
  slist_free(list);
  answer->headers = (char *)headers.bytes;
  answer->headers_size = headers.size;
  answer->body = body.bytes;
  answer->body_size = body.size;
}

void petspot_curl_post(petspot_curl *curl, const petspot_curl_mail *mail, petspot_curl_answer *answer) {
  memset(answer, 0, sizeof *answer);
  struct rest rest = {.bytes = mail->bytes, .size = mail->size};
  void *recipients = slist_append(NULL, mail->to);
  if (!recipients) {
    answer->code = FAILED_INIT;
    strcpy(answer->why, "out of memory");
    return;
  }
  easy_setopt(curl, URL, mail->url);
  easy_setopt(curl, ERROR_BUFFER, answer->why);
  easy_setopt(curl, SOCKOPT_FUNCTION, keep_own);
  easy_setopt(curl, NO_SIGNAL, 1L);
  easy_setopt(curl, PROTOCOLS, (long)SMTP_AND_SMTPS);
  if (mail->needs_tls) easy_setopt(curl, USE_SSL, (long)SSL_ALL);
  easy_setopt(curl, FORBID_REUSE, 1L);
  easy_setopt(curl, TIMEOUT_MS, mail->timeout_ms);
  easy_setopt(curl, CONNECT_TIMEOUT_MS, mail->timeout_ms / 2);
  if (mail->user) {
    easy_setopt(curl, USER_NAME, mail->user);
    easy_setopt(curl, PASSWORD, mail->password);
  }
  easy_setopt(curl, MAIL_FROM, mail->from);
  easy_setopt(curl, MAIL_RECIPIENTS, recipients);
  easy_setopt(curl, UPLOAD, 1L);
  easy_setopt(curl, READ_FUNCTION, give);
  easy_setopt(curl, READ_DATA, &rest);
  easy_setopt(curl, IN_FILE_SIZE, (long long)mail->size);
  answer->code = easy_perform(curl);
  if (answer->code && !*answer->why) strncpy(answer->why, easy_strerror(answer->code), sizeof answer->why - 1);
  easy_getinfo(curl, RESPONSE_CODE, &answer->status);
  easy_reset(curl);
  slist_free(recipients);
}

void petspot_curl_drop(petspot_curl_answer *answer) {
  free(answer->headers);
  free(answer->body);
}
