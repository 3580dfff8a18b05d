package io.despina.catalogue;

import io.despina.operator.sink.CollectedRows;
import io.despina.operator.sink.ConsoleSink;
import io.despina.operator.source.InputRows;
import io.despina.operator.source.file.Pipe;
import java.nio.file.Path;

/** Where the sources and sinks that Python feeds and reads are connected, in the resource that hosts them. */
public interface PythonConnections {
    /** Rows for a source, in place of what it would read. */
    InputRows input(String source);

    /** Takes the rows of a collect sink, of all its instances here. */
    CollectedRows rows(String sink);

    /** Takes the lines of a console sink, of all its instances here. */
    ConsoleSink.Lines lines(String sink);

    /** Opens what a source reads whose path is {@code -}. */
    Pipe.Opener standardInput();

    /** What a sink writes to whose path is {@code -}. */
    Path standardOutput();
}
