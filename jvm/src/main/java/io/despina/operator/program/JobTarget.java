package io.despina.operator.program;

import io.despina.connect.LostException;
import io.despina.operator.OperatorContext;
import java.io.Closeable;
import java.io.IOException;

/**
 * A source of another job, as one instance of a sink gives it rows: whole packets, one after the other. One thread at a time, and
 * it may block. A job that is not there is awaited, however long that takes, and the user is told once.
 */
public interface JobTarget extends Closeable {

    void open(OperatorContext context);

    /**
     * Waits until the other job is there. What was staged over a connection that has been lost since is gone.
     *
     * @throws IOException it is there, and never takes these rows
     */
    void await() throws IOException, InterruptedException;

    /**
     * Stages rows of an epoch.
     *
     * @throws LostException the connection is lost, or the job begins again: the whole epoch is to be staged anew
     */
    void stage(long epoch, byte[] packets, int rows) throws IOException, InterruptedException;

    /**
     * Has the other job take what is staged, once, whether or not it is staged again.
     *
     * @param query a name that no other sink has, and that stays over all attempts of the job
     * @throws LostException as of {@link #stage}: it may have them or not
     * @throws io.despina.connect.RefusedException it has a later epoch: this job's state is an older copy
     */
    void commit(String query, long epoch) throws IOException, InterruptedException;

    /** Gives rows that the other job sees at once, and gives them again if the connection is lost before it has said so. */
    void append(byte[] packets, int rows) throws IOException, InterruptedException;

    /**
     * No row follows from this instance: the input of the other job ends when all instances have said so. Waits until an epoch of
     * that job has it.
     */
    void end() throws IOException, InterruptedException;
}
