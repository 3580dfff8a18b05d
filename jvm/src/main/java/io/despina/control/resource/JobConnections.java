package io.despina.control.resource;

import io.despina.catalogue.PythonConnections;
import io.despina.control.visit.JobInputVisit;
import io.despina.control.visit.JobRowReader;
import io.despina.operator.control.GraphControl;
import io.despina.operator.program.CollectedRows;
import io.despina.operator.program.ConsoleSink;
import io.despina.operator.program.InputRows;
import io.despina.operator.program.JobPlace;
import io.despina.operator.program.JobRows;
import io.despina.operator.program.JobTarget;
import io.despina.operator.source.file.Pipe;
import io.despina.packet.Schema;
import io.despina.spool.KeptSpool;
import io.despina.spool.Spool;
import java.nio.file.Path;

/** Connects the operators of one job in this resource with Python, or another program that has its rows, and with the job. */
record JobConnections(PythonInputs inputs, PythonOutputs outputs, Kept kept, Pipes pipes, GraphControl control)
        implements PythonConnections {

    /** Of rows given to a source, in a job that keeps its state here, before the program waits. */
    private static final long LOG_BYTES = 1L << 30;

    /** Rows that wait in this resource, on their way to a program or from one. */
    record Kept(JobSpools spools, JobStagings stagings, KeptOutputs rows) {
    }

    @Override
    public InputRows input(String source, Schema schema) {
        return kept.spools.areKept() ? inputs.of(source).logged(schema, LOG_BYTES) : inputs.of(source);
    }

    @Override
    public InputRows staged(String source, int instance) {
        return kept.stagings.find(source, instance);
    }

    @Override
    public InputRows rowsOf(JobPlace place, Schema schema, boolean beginsAnew) {
        return new JobRows(new JobRowReader(place, schema, beginsAnew));
    }

    @Override
    public JobTarget target(JobPlace place) {
        return new JobInputVisit(place);
    }

    @Override
    public CollectedRows rows(String sink) {
        return outputs.of(sink)::rows;
    }

    @Override
    public boolean keepsRows() {
        return kept.rows.areKept();
    }

    @Override
    public KeptSpool keptRows(String sink, int instance) {
        return kept.rows.spool(sink, instance);
    }

    @Override
    public boolean keepsSpools() {
        return kept.spools.areKept();
    }

    @Override
    public Spool spool(String sink, int instance) {
        return kept.spools.of(sink, instance);
    }

    @Override
    public ConsoleSink.Lines lines(String sink) {
        return outputs.of(sink)::lines;
    }

    @Override
    public Pipe.Opener standardInput() {
        return pipes.input();
    }

    @Override
    public Path standardOutput() {
        return pipes.output();
    }
}
