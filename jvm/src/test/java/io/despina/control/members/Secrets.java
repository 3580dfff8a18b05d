package io.despina.control.members;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Secret files as a user makes them: nobody else may read them. */
final class Secrets {
    private Secrets() {
    }

    static Path write(Path folder, String secret) throws IOException {
        Path file = Files.createFile(folder.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, secret);
    }
}
