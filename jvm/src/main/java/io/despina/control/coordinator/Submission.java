package io.despina.control.coordinator;

import io.despina.control.assembly.JobOptions;

/**
 * The arguments of {@code run}, from which every attempt of the job starts.
 *
 * @param fileName as the user named the graph; for messages
 */
public record Submission(String graphText, String fileName, JobOptions options) {
}
