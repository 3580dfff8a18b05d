package io.despina.python;

import java.util.Map;

/**
 * Modules of Python functions as they are where the graph was submitted.
 *
 * @param files    of those beside the graph and in the folders that were named: by the place in a folder,
 *                 {@code acme/scores.py}, the bytes in base64. Taken where the resource has no such file
 * @param versions by a module's full name, what is told if the resource imports another: {@code 1.2, sha256 0f3a…}
 */
public record SentModules(Map<String, String> files, Map<String, String> versions) {
    public static final SentModules NONE = new SentModules(Map.of(), Map.of());

    public SentModules {
        files = Map.copyOf(files);
        versions = Map.copyOf(versions);
    }

    /** For a process of which no difference is told. */
    public SentModules untold() {
        return new SentModules(files, Map.of());
    }

    /** For a resource that runs its own modules alone. */
    public SentModules withoutFiles() {
        return new SentModules(Map.of(), versions);
    }
}
