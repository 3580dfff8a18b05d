package com.acme;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes logs: a folder is the server, each file {@code NAME.log} of it a partition, a line a record. */
public final class LinesConnector implements Connector {

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        return new LinesReader(folder(settings), settings.text("stop_at").equals("end"), host);
    }

    @Override
    public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        return new LinesWriter(folder(settings), host);
    }

    /** For {@code despina check --connect}: looks, and changes nothing. */
    @Override
    public String probe(ConnectorSettings settings, Use use, long millis) throws IOException {
        Path folder = folder(settings);
        if (!Files.isDirectory(folder)) {
            throw new IOException("`settings`: there is no folder " + folder);
        }
        if (use != Use.READ && !Files.isWritable(folder)) {
            throw new IOException("`settings`: folder " + folder + " may not be written");
        }
        return "folder " + folder;
    }

    static Path folder(ConnectorSettings settings) {
        String folder = settings.named("settings").get("folder");
        if (folder == null) {
            throw new IllegalArgumentException("`settings` says no folder");
        }
        return Path.of(folder);
    }
}
