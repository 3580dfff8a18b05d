package io.despina.operator.program;

/**
 * An operator of another job that gives or takes rows.
 *
 * @param job        path of the file that says where the job is reached, which may not be there yet; of a service its name there
 * @param service    that runs the job; null if there is a file
 * @param operator   its id in the other graph; empty for the only one
 * @param secretFile in place of what the job file says; null for that
 * @param tls        the same, a folder
 */
public record JobPlace(String job, JobService service, String operator, String secretFile, String tls) {

    /**
     * A service that is asked where a job of it is.
     *
     * @param tokenFile path of the file with the token that lets in
     */
    public record JobService(String url, String tokenFile) {
    }
}
