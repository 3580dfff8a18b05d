package io.despina.catalogue;

import io.despina.operator.control.GraphControl;
import io.despina.operator.program.CollectedRows;
import io.despina.operator.program.ConsoleSink;
import io.despina.operator.program.InputRows;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobTarget;
import io.despina.operator.source.file.Pipe;
import io.despina.packet.Schema;
import io.despina.spool.KeptSpool;
import io.despina.spool.Spool;
import java.nio.file.Path;

/** Connects sources and sinks with Python, and operators with the job that they are part of, in the resource that hosts them. */
public interface PythonConnections {
    /** Rows for a source, instead of its own input. */
    InputRows input(String source, Schema schema);

    /** Rows that programs commit, for an instance of a source. */
    InputRows staged(String source, int instance);

    /**
     * Rows of an instance of another job's sink.
     *
     * @param schema     that they are to have
     * @param beginsAnew whether those of a job that has begun anew are taken too
     */
    InputRows rowsOf(JobPlace place, Schema schema, boolean beginsAnew);

    /** Takes the rows of an instance of a sink into another job. */
    JobTarget target(JobPlace place);

    /** Takes the rows of all instances of a collect sink in this resource, which the program gets at once. */
    CollectedRows rows(String sink);

    /** Whether the program gets rows of collect sinks from {@link #keptRows} instead, when their epoch is complete. */
    boolean keepsRows();

    /** Keeps the rows of an instance of a collect sink until the program has taken them. */
    KeptSpool keptRows(String sink, int instance);

    /** Whether {@link #spool} gives spools that stay over attempts of the job. */
    boolean keepsSpools();

    /** Keeps the rows of an instance of a sink that a program reads from disk. */
    Spool spool(String sink, int instance);

    /** Takes the lines of all instances of a console sink in this resource. */
    ConsoleSink.Lines lines(String sink);

    /** Tells operators of the job, wherever they run. */
    GraphControl control();

    /** Opens the input of a source with the path {@code -}. */
    Pipe.Opener standardInput();

    /** The output of a sink with the path {@code -}. */
    Path standardOutput();
}
