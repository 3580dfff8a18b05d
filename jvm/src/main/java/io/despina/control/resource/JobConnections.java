package io.despina.control.resource;

import io.despina.catalogue.PythonConnections;
import io.despina.operator.sink.CollectedRows;
import io.despina.operator.sink.ConsoleSink;
import io.despina.operator.source.InputRows;
import io.despina.operator.source.file.Pipe;
import io.despina.spool.Spool;
import java.nio.file.Path;

/** Connects the sources and sinks of one job in this resource with Python, or another program that has its rows. */
record JobConnections(PythonInputs inputs, PythonOutputs outputs, JobSpools spools, Pipes pipes) implements PythonConnections {
    @Override
    public InputRows input(String source) {
        return inputs.of(source);
    }

    @Override
    public CollectedRows rows(String sink) {
        return outputs.of(sink)::rows;
    }

    @Override
    public Spool spool(int instance) {
        return spools.of(instance);
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
