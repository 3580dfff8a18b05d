package io.despina.control.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The module flags of every JVM, from the list that Python reads too ({@code module_flags.txt}). */
final class ModuleFlags {
    private static final Pattern ONLY = Pattern.compile("(\\d+)(?:\\+|-(\\d+)) (.*)");

    private ModuleFlags() {
    }

    /** @param java feature version of the Java to start, for example 17 */
    static List<String> of(int java) {
        List<String> flags = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                ModuleFlags.class.getResourceAsStream("module_flags.txt"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher only = ONLY.matcher(line);
                if (only.matches()) {
                    boolean ended = only.group(2) != null && java > Integer.parseInt(only.group(2));
                    if (java >= Integer.parseInt(only.group(1)) && !ended) {
                        flags.add(only.group(3));
                    }
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    flags.add(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return flags;
    }
}
