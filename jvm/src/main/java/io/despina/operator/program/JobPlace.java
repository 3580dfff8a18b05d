package io.despina.operator.program;

/**
 * An operator of another job that gives or takes rows.
 *
 * @param jobFile    path of the file that says where the job is reached; it may not be there yet
 * @param operator   its id in the other graph; empty for the only one
 * @param secretFile in place of what the job file says; null for that
 * @param tls        the same, a folder
 */
public record JobPlace(String jobFile, String operator, String secretFile, String tls) {
}
