/** Rows of sinks without two phases: they are in a log until their epoch is complete, and leave then. */
package io.despina.operator.outbox;
