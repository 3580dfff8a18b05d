/**
 * Rows that a program gives to a source epoch by epoch: they are staged in the source's resource, and seen when their epoch is
 * committed.
 */
package io.despina.control.staging;
