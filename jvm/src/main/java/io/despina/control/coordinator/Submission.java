package io.despina.control.coordinator;

import io.despina.control.assembly.JobOptions;
import io.despina.control.protocol.Spooling;

/**
 * The arguments of {@code run}, from which every attempt of the job starts.
 *
 * @param fileName        as the user named the graph; for messages
 * @param startedAtMillis wall clock when the command began
 */
public record Submission(String graphText, String fileName, JobOptions options, long startedAtMillis) {

    public Submission(String graphText, String fileName, JobOptions options) {
        this(graphText, fileName, options, options.startedAtMillis());
    }

    /** Whether the job goes on in its resources without this coordinator, for another. */
    boolean outlives() {
        return options.outliving().isOn();
    }

    /** The same, with rows of sinks that programs read under other names. */
    Submission with(Spooling spooling) {
        return new Submission(graphText, fileName, options.with(spooling), startedAtMillis);
    }

    /** The same, begun anew at that time. */
    Submission at(long millis) {
        return new Submission(graphText, fileName, options, millis);
    }
}
