package io.despina.control.resource;

import io.despina.catalogue.PythonConnections;
import io.despina.operator.sink.CollectedRows;
import io.despina.operator.sink.ConsoleSink;
import io.despina.operator.source.InputRows;
import io.despina.operator.source.file.Pipe;
import io.despina.spool.Spool;
import java.nio.file.Path;

/** Connects the sources and sinks of one job in this resource with Python, or another program that has its rows. */
record JobConnections(PythonInputs inputs, PythonOutputs outputs, Kept kept, Pipes pipes) implements PythonConnections {

    /** Rows that wait in this resource, on their way to a program or from one. */
    record Kept(JobSpools spools, JobStagings stagings) {
    }

    @Override
    public InputRows input(String source) {
        return inputs.of(source);
    }

    @Override
    public InputRows staged(String source, int instance) {
        return kept.stagings.find(source, instance);
    }

    @Override
    public CollectedRows rows(String sink) {
        return outputs.of(sink)::rows;
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
