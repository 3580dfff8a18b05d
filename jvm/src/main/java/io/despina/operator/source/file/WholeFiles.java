package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The bytes of files, for an operator that reads a format of its own. Packed files are unpacked. */
public final class WholeFiles {
    private static final String LOCAL = "file:";

    /** Takes a file. */
    public interface Taker {
        /** @param name for messages */
        void take(String name, InputStream text) throws IOException;
    }

    private WholeFiles() {
    }

    /** @param address a file, a folder or a glob, or its URI. @throws IOException if no file is there */
    public static void each(String address, Taker taker) throws IOException {
        // a plan for Spark has files of this machine so, and its paths are not escaped
        String path = address.startsWith(LOCAL + "/") ? address.substring(LOCAL.length()) : address;
        if (!FileAddress.isHadoops(path)) {
            for (Path file : InputFiles.all(path)) {
                InputFiles.refuseSpecial(file);
                give(file, Files.newInputStream(file), taker);
            }
            return;
        }
        try (HadoopFiles hadoop = new HadoopFiles(path, Map.of())) {
            for (Path file : hadoop.list(path)) {
                give(file, hadoop.open(file), taker);
            }
        }
    }

    private static void give(Path file, InputStream bytes, Taker taker) throws IOException {
        try (InputStream in = FileInput.stream(file, path -> bytes)) {
            taker.take(FileAddress.text(file), in);
        }
    }
}
