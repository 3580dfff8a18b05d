package io.despina.spark.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.JobAddress;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Nearest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Reads what {@code option(…)} says, with errors in words for the user. */
public record GivenOptions(CaseInsensitiveStringMap given) {
    /** Before the name of a graph's parameter. */
    public static final String PARAMETER = "parameter.";

    /**
     * @param names      that are meant, and proposed for others
     * @param unnoticed  that mean nothing here
     */
    public void refuseUnknown(List<String> names, List<String> unnoticed) throws Refusal {
        for (String name : given.asCaseSensitiveMap().keySet()) {
            boolean known = has(names, name) || has(unnoticed, name) || names.contains(PARAMETER) && isParameter(name);
            if (!known) {
                throw new Refusal("option", "format(\"despina\") has no option `" + name + "`",
                        name.equals("path") ? "give the " + names.get(0) + " by option(\"" + names.get(0) + "\", path)"
                        : Nearest.hint(name, names));
            }
        }
    }

    static boolean isParameter(String option) {
        return option.regionMatches(true, 0, PARAMETER, 0, PARAMETER.length());
    }

    private static boolean has(List<String> names, String name) {
        return names.stream().anyMatch(name::equalsIgnoreCase);
    }

    public String needed(String name, String what) throws Refusal {
        String value = given.get(name);
        if (value == null || value.isBlank()) {
            throw new Refusal("option", "format(\"despina\") needs option(\"" + name + "\", …): " + what, null);
        }
        return value;
    }

    /** @return a number from 1 on, or {@code otherwise} if it is not given */
    public long number(String name, long otherwise) throws Refusal {
        String value = given.get(name);
        try {
            long number = value == null ? otherwise : Long.parseLong(value.strip());
            if (number > 0 || value == null) {
                return number;
            }
        } catch (NumberFormatException none) {
            // told below
        }
        throw new Refusal("option", name + "=" + value + " is no number from 1 on", null);
    }

    /** Whether {@code onRestart} says that word, and not {@code refuse}, as it does if it is left out. */
    public boolean restartsWith(String other) throws Refusal {
        String word = given.getOrDefault("onRestart", "refuse");
        if (!word.equals("refuse") && !word.equals(other)) {
            throw new Refusal("option", "onRestart=" + word + " is not known", "refuse or " + other);
        }
        return word.equals(other);
    }

    /**
     * How a job runs, as JSON: values of parameters, a deployment, and what {@code despina run} has for one.
     *
     * @param listen where programs come to the job if the options do not say so; null for this machine alone
     */
    public String job(String listen) throws Refusal {
        ObjectNode job = Json.object();
        ObjectNode parameters = job.putObject("parameters");
        if (listen != null) {
            job.put("listen", listen);
        }
        given.asCaseSensitiveMap().forEach((name, value) -> {
            if (isParameter(name)) {
                parameters.put(name.substring(PARAMETER.length()), value);
            }
        });
        String deployment = given.get("deployment");
        if (deployment != null) {
            job.put("deployment_file", deployment).put("deployment_text", text(deployment, "deployment"));
        }
        Map.of("secretFile", "secret_file", "tls", "tls", "listen", "listen").forEach((option, name) -> {
            if (given.containsKey(option)) {
                job.put(name, given.get(option));
            }
        });
        return Json.text(job);
    }

    /**
     * Of a job that runs: what the job file of option {@code job} says, but secret and TLS as options {@code secretFile} and
     * {@code tls} have them.
     */
    public JobAddress address() throws Refusal {
        JobAddress written = JobAddress.parse(text(needed("job", "the path of a job file"), "job"));
        String secretFile = given.get("secretFile");
        return new JobAddress(written.host(), written.port(), written.job(), secretFile == null ? written.secret() : null,
                secretFile == null ? written.secretFile() : secretFile, given.getOrDefault("tls", written.tls()));
    }

    /** The text of a graph file. */
    public static String graph(String path) {
        try {
            return text(path, "graph");
        } catch (Refusal e) {
            throw refused(e);
        }
    }

    /** @throws IllegalArgumentException with the diagnostics of {@code despina check} if the graph is refused */
    public static JobPlan planned(Submission submission) {
        Checked<JobPlan> checked = JobPlan.of(submission.graphText(), submission.fileName(), submission.options());
        if (!checked.ok()) {
            throw new IllegalArgumentException(checked.render());
        }
        return checked.value();
    }

    /** The text of a file. */
    public static String text(String path, String what) throws Refusal {
        try {
            return Files.readString(Path.of(path), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new Refusal("file_missing", "no " + what + " file at " + path,
                    "relative paths are of the driver's folder, " + System.getProperty("user.dir"));
        } catch (IOException e) {
            throw new Refusal("file_unreadable", "the " + what + " file " + path + " cannot be read: " + e.getMessage(), null);
        }
    }

    public static IllegalArgumentException refused(Refusal why) {
        return new IllegalArgumentException(why.render(), why);
    }
}
