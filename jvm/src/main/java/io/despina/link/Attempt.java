package io.despina.link;

/**
 * One start of a job. A job that is started again keeps its id and gets the next number, so that nothing of an earlier attempt
 * is taken as part of it: channels, frames and control messages all carry their attempt.
 *
 * @param job    the job's id, at most 255 bytes of UTF-8
 * @param number from 1
 */
public record Attempt(String job, int number) {

    public static Attempt first(String job) {
        return new Attempt(job, 1);
    }

    public Attempt next() {
        return new Attempt(job, number + 1);
    }

    @Override
    public String toString() {
        return number == 1 ? "job " + job : "job " + job + " (attempt " + number + ")";
    }
}
