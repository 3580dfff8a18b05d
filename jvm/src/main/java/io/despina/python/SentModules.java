package io.despina.python;

import java.util.List;
import java.util.Map;

/**
 * Modules of Python functions as they are where the graph was submitted, and what of them may run.
 *
 * @param files    of those beside the graph and in the folders that were named: by the place in a folder,
 *                 {@code acme/scores.py}, the bytes in base64. Taken where the resource has no such file
 * @param versions by a module's full name, what is told if the resource imports another: {@code 1.2, sha256 0f3a…}
 * @param unsent   why there are no files, for whoever misses one; null if all came
 * @param allowed  names of the modules and functions that may run, and prefixes of them that end with {@code *}; null: all.
 *                 Where a function comes from says its module, and not who imports it
 */
public record SentModules(Map<String, String> files, Map<String, String> versions, String unsent, List<String> allowed) {
    public static final SentModules NONE = new SentModules(Map.of(), Map.of());
    private static final String NOT_TAKEN = "this resource takes no modules that come with a job: --allow-python '*' allows that";

    public SentModules {
        files = Map.copyOf(files);
        versions = Map.copyOf(versions);
        allowed = allowed == null ? null : List.copyOf(allowed);
    }

    /** All may run. */
    public SentModules(Map<String, String> files, Map<String, String> versions, String unsent) {
        this(files, versions, unsent, null);
    }

    /** All came. */
    public SentModules(Map<String, String> files, Map<String, String> versions) {
        this(files, versions, null);
    }

    /** For a process of which no difference is told. */
    public SentModules untold() {
        return new SentModules(files, Map.of(), unsent, allowed);
    }

    /** For a resource that runs its own modules alone, and of these what is allowed. */
    public SentModules own(List<String> names) {
        return new SentModules(Map.of(), versions, files.isEmpty() ? unsent : NOT_TAKEN, names);
    }
}
