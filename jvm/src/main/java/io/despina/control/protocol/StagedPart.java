package io.despina.control.protocol;

/**
 * What one task of a program has staged for one epoch.
 *
 * @param instance of the source, in whose resource it is
 * @param task     the task's number, no other task's of the same run
 */
public record StagedPart(int instance, long task, long rows) {
}
