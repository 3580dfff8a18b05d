package io.despina.control.protocol;

/**
 * A record that has failed its operator in attempt after attempt, and is left to the graph's {@code on_error}.
 *
 * @param record digest of its bytes, see {@link io.despina.runtime.task.TaskFailedException#record}
 */
public record PoisonRecord(String operator, String record) {
}
