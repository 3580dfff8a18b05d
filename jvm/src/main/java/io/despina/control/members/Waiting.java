package io.despina.control.members;

/**
 * For resources that are not there.
 *
 * @param joinMillis how long for each that joins
 * @param forSlots   whether for executors that are to come; a job that asks again by itself does not
 */
public record Waiting(long joinMillis, boolean forSlots) {
}
