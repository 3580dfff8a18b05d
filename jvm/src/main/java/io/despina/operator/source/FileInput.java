package io.despina.operator.source;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** The bytes of one file, from a place on. {@code .gz} files are unpacked: their offsets are those of the text. */
final class FileInput implements Closeable {
    private final Path path;
    private final InputStream in;

    FileInput(Path path, long from, int bufferBytes) throws IOException {
        this.path = path;
        in = open(path, bufferBytes);
        try {
            in.skipNBytes(from);
        } catch (EOFException shorter) {
            in.close();
            throw new IOException(path + " has become shorter: reading was to go on at byte " + from, shorter);
        }
    }

    static boolean isPacked(Path path) {
        return path.toString().endsWith(".gz");
    }

    private static InputStream open(Path path, int bufferBytes) throws IOException {
        InputFiles.refuseSpecial(path);     // it may have come to the place of a file that was found
        try {
            InputStream file = Files.newInputStream(path);
            return isPacked(path) ? new GZIPInputStream(file, bufferBytes) : file;
        } catch (NoSuchFileException gone) {
            throw new IOException("no such file: " + path, gone);
        }
    }

    Path path() {
        return path;
    }

    /** Reads some bytes; -1 at the end of the file. */
    int read(byte[] to, int from, int length) throws IOException {
        return in.read(to, from, length);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
