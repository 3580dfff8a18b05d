package io.despina.control.coordinator;

import io.despina.control.assembly.JobOptions;

/**
 * What was asked to be run, as it was given: every attempt of the job starts from it.
 *
 * @param fileName as the user named the graph; for messages
 */
record Submission(String graphText, String fileName, JobOptions options) {
}
