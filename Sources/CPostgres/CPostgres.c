#define _GNU_SOURCE
#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

typedef void (*notice_processor)(void *, const char *);
enum { verbosity_default = 1, verbosity_sqlstate = 3 };
enum { connection_ok = 0, empty_query = 0, command_ok = 1, tuples_ok = 2, pipeline_sync = 10 };

// Every function that is called, once: type, name, parameters.
#define FUNCTIONS(each)                                                                           \
  each(petspot_pq_setting *, PQconninfoParse, (const char *, char **))                            \
  each(petspot_pq_setting *, PQconndefaults, (void))                                              \
  each(void, PQconninfoFree, (petspot_pq_setting *))                                              \
  each(void, PQfreemem, (void *))                                                                 \
  each(petspot_pq_connection *, PQconnectdbParams,                                                \
       (const char *const *, const char *const *, int))                                           \
  each(void, PQreset, (petspot_pq_connection *))                                                  \
  each(int, PQsetErrorVerbosity, (petspot_pq_connection *, int))                                  \
  each(int, PQconnectionNeedsPassword, (const petspot_pq_connection *))                           \
  each(void, PQfinish, (petspot_pq_connection *))                                                 \
  each(int, PQstatus, (const petspot_pq_connection *))                                            \
  each(int, PQtransactionStatus, (const petspot_pq_connection *))                                 \
  each(char *, PQerrorMessage, (const petspot_pq_connection *))                                   \
  each(int, PQserverVersion, (const petspot_pq_connection *))                                     \
  each(int, PQlibVersion, (void))                                                                 \
  each(int, PQsocket, (const petspot_pq_connection *))                                            \
  each(int, PQconsumeInput, (petspot_pq_connection *))                                            \
  each(petspot_pq_notice *, PQnotifies, (petspot_pq_connection *))                                \
  each(notice_processor, PQsetNoticeProcessor,                                                    \
       (petspot_pq_connection *, notice_processor, void *))                                       \
  each(petspot_pq_result *, PQexec, (petspot_pq_connection *, const char *))                      \
  each(int, PQenterPipelineMode, (petspot_pq_connection *))                                       \
  each(int, PQexitPipelineMode, (petspot_pq_connection *))                                        \
  each(int, PQpipelineSync, (petspot_pq_connection *))                                            \
  each(int, PQsendPrepare,                                                                        \
       (petspot_pq_connection *, const char *, const char *, int, const unsigned *))              \
  each(int, PQsendQueryPrepared,                                                                  \
       (petspot_pq_connection *, const char *, int, const char *const *, const int *,             \
        const int *, int))                                                                        \
  each(int, PQsendQueryParams,                                                                    \
       (petspot_pq_connection *, const char *, int, const unsigned *, const char *const *,        \
        const int *, const int *, int))                                                           \
  each(petspot_pq_result *, PQgetResult, (petspot_pq_connection *))                               \
  each(int, PQresultStatus, (const petspot_pq_result *))                                          \
  each(char *, PQresultErrorField, (const petspot_pq_result *, int))                              \
  each(int, PQntuples, (const petspot_pq_result *))                                               \
  each(int, PQnfields, (const petspot_pq_result *))                                               \
  each(unsigned, PQftype, (const petspot_pq_result *, int))                                       \
  each(int, PQgetisnull, (const petspot_pq_result *, int, int))                                   \
  each(char *, PQgetvalue, (const petspot_pq_result *, int, int))                                 \
  each(int, PQgetlength, (const petspot_pq_result *, int, int))                                   \
  each(char *, PQcmdTuples, (petspot_pq_result *))                                                \
  each(void, PQclear, (petspot_pq_result *))

#define POINTER(type, name, parameters) type(*name) parameters;
static struct {
  FUNCTIONS(POINTER)
} pq;

static const char *failure = "not opened";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_once(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    failure = why ? why : "libpq.so.5 is not there";
    return;
  }
#define FIND(type, name, parameters)                \
  pq.name = (type(*) parameters)dlsym(library, #name); \
  if (!pq.name) {                                   \
    failure = "libpq.so.5 has no " #name;           \
    return;                                         \
  }
  FUNCTIONS(FIND)
  failure = NULL;
}

const char *petspot_pq_open(void) {
  pthread_once(&once, open_once);
  return failure;
}

petspot_pq_setting *petspot_pq_parse(const char *address, char **error) {
  return pq.PQconninfoParse(address, error);
}
petspot_pq_setting *petspot_pq_defaults(void) { return pq.PQconndefaults(); }
void petspot_pq_free_settings(petspot_pq_setting *settings) { pq.PQconninfoFree(settings); }
void petspot_pq_free(void *memory) { pq.PQfreemem(memory); }

static void swallow(void *nothing, const char *notice) {
  (void)nothing;
  (void)notice;
}

petspot_pq_connection *petspot_pq_connect(const char *const *names, const char *const *values) {
  petspot_pq_connection *connection = pq.PQconnectdbParams(names, values, 1);
  if (connection) pq.PQsetNoticeProcessor(connection, swallow, NULL);
  return connection;
}
void petspot_pq_reconnect(petspot_pq_connection *connection) {
  pq.PQsetErrorVerbosity(connection, verbosity_sqlstate);
  pq.PQreset(connection);
  pq.PQsetErrorVerbosity(connection, verbosity_default);
}
int petspot_pq_needs_password(petspot_pq_connection *connection) {
  return pq.PQconnectionNeedsPassword(connection);
}
void petspot_pq_finish(petspot_pq_connection *connection) { pq.PQfinish(connection); }
int petspot_pq_is_connected(petspot_pq_connection *connection) {
  return pq.PQstatus(connection) == connection_ok;
}
int petspot_pq_is_in_transaction(petspot_pq_connection *connection) {
  return pq.PQtransactionStatus(connection) != 0;
}
const char *petspot_pq_error(petspot_pq_connection *connection) {
  return pq.PQerrorMessage(connection);
}
int petspot_pq_server_version(petspot_pq_connection *connection) {
  return pq.PQserverVersion(connection);
}
int petspot_pq_library_version(void) { return pq.PQlibVersion(); }
int petspot_pq_socket(petspot_pq_connection *connection) { return pq.PQsocket(connection); }
int petspot_pq_consume(petspot_pq_connection *connection) { return pq.PQconsumeInput(connection); }
petspot_pq_notice *petspot_pq_next_notice(petspot_pq_connection *connection) {
  return pq.PQnotifies(connection);
}

petspot_pq_result *petspot_pq_run(petspot_pq_connection *connection, const char *sql) {
  return pq.PQexec(connection, sql);
}

// Returns the result of one message and discards the end marker that follows it.
static petspot_pq_result *next_answer(petspot_pq_connection *connection) {
  petspot_pq_result *answer = pq.PQgetResult(connection), *more;
  if (answer)
    while ((more = pq.PQgetResult(connection))) pq.PQclear(more);
  return answer;
}

static int send(petspot_pq_connection *connection, const petspot_pq_statement *one) {
  if (!one->name)
    return pq.PQsendQueryParams(
        connection, one->sql, one->count, NULL, one->values, NULL, NULL, 0);
  return (!one->sql || pq.PQsendPrepare(connection, one->name, one->sql, 0, NULL)) &&
         pq.PQsendQueryPrepared(connection, one->name, one->count, one->values, NULL, NULL, 0);
}

static void take_answers(petspot_pq_connection *connection, petspot_pq_statement *one) {
  petspot_pq_result *prepared = NULL;
  if (one->name && one->sql) {
    prepared = next_answer(connection);
    one->is_known = prepared && petspot_pq_is_done(prepared);
  }
  one->result = next_answer(connection);
  // The error of the preparation is more informative than that of the execution.
  if (prepared && !one->is_known) {
    pq.PQclear(one->result);
    one->result = prepared;
  } else {
    pq.PQclear(prepared);
  }
}

int petspot_pq_ask(
    petspot_pq_connection *connection, petspot_pq_statement *statements, int count) {
  if (!pq.PQenterPipelineMode(connection)) return 0;
  for (int i = 0; i < count; i++)
    if (!send(connection, &statements[i])) return 0;
  if (!pq.PQpipelineSync(connection)) return 0;
  for (int i = 0; i < count; i++) take_answers(connection, &statements[i]);
  petspot_pq_result *end = pq.PQgetResult(connection);
  int is_answered = end && pq.PQresultStatus(end) == pipeline_sync;
  pq.PQclear(end);
  return pq.PQexitPipelineMode(connection) && is_answered;
}

int petspot_pq_is_done(const petspot_pq_result *result) {
  int status = pq.PQresultStatus(result);
  return status == empty_query || status == command_ok || status == tuples_ok;
}
const char *petspot_pq_error_field(const petspot_pq_result *result, int code) {
  return pq.PQresultErrorField(result, code);
}
int petspot_pq_rows(const petspot_pq_result *result) { return pq.PQntuples(result); }
int petspot_pq_columns(const petspot_pq_result *result) { return pq.PQnfields(result); }
unsigned petspot_pq_type(const petspot_pq_result *result, int column) {
  return pq.PQftype(result, column);
}
const char *petspot_pq_value(const petspot_pq_result *result, int row, int column, int *length) {
  if (pq.PQgetisnull(result, row, column)) return NULL;
  *length = pq.PQgetlength(result, row, column);
  return pq.PQgetvalue(result, row, column);
}
const char *petspot_pq_touched(petspot_pq_result *result) { return pq.PQcmdTuples(result); }
void petspot_pq_clear(petspot_pq_result *result) { pq.PQclear(result); }
