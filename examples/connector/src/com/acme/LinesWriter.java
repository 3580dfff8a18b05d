package com.acme;

import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/** Appends each record as a line to the file that its target names. */
final class LinesWriter implements RecordWriter {
    private final Path folder;
    private final WriterHost host;
    private final Map<String, FileChannel> files = new HashMap<>();

    LinesWriter(Path folder, WriterHost host) {
        this.folder = folder;
        this.host = host;
    }

    @Override
    public void open(boolean later) throws IOException {
        Files.createDirectories(folder);
    }

    @Override
    public void write(Outgoing record) throws IOException {
        String target = record.target() == null ? "all" : record.target();
        byte[] value = record.value() == null ? new byte[0] : record.value();
        if (!target.matches("\\w+")) {
            host.refused("`" + target + "` is no name of a file", value);
            return;
        }
        FileChannel file = files.get(target);
        if (file == null) {
            file = FileChannel.open(folder.resolve(target + ".log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            files.put(target, file);
        }
        ByteBuffer line = ByteBuffer.allocate(value.length + 1).put(value).put((byte) '\n').flip();
        while (line.hasRemaining()) {
            file.write(line);
        }
    }

    /** What was written is on the disk: this is what the engine may rely on. */
    @Override
    public void flush() throws IOException {
        for (FileChannel each : files.values()) {
            each.force(false);
        }
    }

    @Override
    public void close() throws IOException {
        for (FileChannel each : files.values()) {
            each.close();
        }
    }
}
