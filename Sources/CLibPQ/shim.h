#ifndef CLIBPQ_SHIM_H
#define CLIBPQ_SHIM_H

#include <libpq-fe.h>

/* The diagnostic field codes are character constants, which Swift does not import. */
static const int CLIBPQ_DIAG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int CLIBPQ_DIAG_SQLSTATE = PG_DIAG_SQLSTATE;
static const int CLIBPQ_DIAG_POSITION = PG_DIAG_STATEMENT_POSITION;
static const int CLIBPQ_DIAG_SCHEMA = PG_DIAG_SCHEMA_NAME;
static const int CLIBPQ_DIAG_TABLE = PG_DIAG_TABLE_NAME;
static const int CLIBPQ_DIAG_COLUMN = PG_DIAG_COLUMN_NAME;
static const int CLIBPQ_DIAG_DATATYPE = PG_DIAG_DATATYPE_NAME;
static const int CLIBPQ_DIAG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME;
static const int CLIBPQ_DIAG_FUNCTION = PG_DIAG_SOURCE_FUNCTION;

#endif
