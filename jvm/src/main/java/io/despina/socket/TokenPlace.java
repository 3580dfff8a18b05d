package io.despina.socket;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a token is: never in the graph, and never in a message.
 *
 * @param variable of the environment of the process that opens the socket, or null
 * @param file     whose text it is, without white space around it, or null
 */
public record TokenPlace(String variable, String file) {

    /** @throws IOException if there is no token there */
    public String read() throws IOException {
        String found = variable != null ? System.getenv(variable) : Files.readString(Path.of(file), StandardCharsets.UTF_8);
        String token = found == null ? "" : found.strip();
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IOException((variable != null ? "the environment variable " + variable : file)
                    + " holds no token: one is visible ASCII characters, without spaces");
        }
        return token;
    }
}
