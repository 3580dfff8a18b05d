package io.despina.spark.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.coordinator.Submission;
import io.despina.control.protocol.Refusal;
import io.despina.control.visit.JobAddress;
import io.despina.control.visit.ServiceJob;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Nearest;
import io.despina.json.Json;
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
    /** All options of parameters, as a list of options has them. */
    public static final String PARAMETERS = PARAMETER + "NAME";

    /**
     * @param names      that are meant, and proposed for others; the first says what is read or written
     * @param others     that are meant where something else is read or written
     * @param unnoticed  that mean nothing here
     */
    public void refuseUnknown(List<String> names, List<String> others, List<String> unnoticed) throws Refusal {
        for (String name : given.asCaseSensitiveMap().keySet()) {
            if (has(names, name) || has(unnoticed, name)) {
                continue;
            }
            String first = names.get(0);
            boolean elsewhere = has(others, name);
            throw new Refusal("option", "format(\"despina\") has no option `" + name + "`"
                    + (elsewhere ? " beside option `" + first + "`" : ""),
                    name.equals("path") ? "give the " + first + " by option(\"" + first + "\", path)"
                    : elsewhere ? "it goes with option `" + others.get(0) + "`; with `" + first + "` there are "
                    + String.join(", ", names) : isNearParameter(name, names) ? "did you mean `" + PARAMETERS + "`?"
                    : Nearest.hint(name, names));
        }
    }

    /** Whether an option was meant as one of a parameter: what stands before its dot is nearly the same. */
    private static boolean isNearParameter(String option, List<String> names) {
        return names.contains(PARAMETERS) && option.contains(".")
                && Nearest.guess(option.substring(0, option.indexOf('.') + 1), List.of(PARAMETER)) != null;
    }

    static boolean isParameter(String option) {
        return option.regionMatches(true, 0, PARAMETER, 0, PARAMETER.length());
    }

    private static boolean has(List<String> names, String name) {
        return names.stream().anyMatch(name::equalsIgnoreCase) || names.contains(PARAMETERS) && isParameter(name);
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

    /** Whether an option says the second word, and not the first, as it does if it is left out. */
    public boolean says(String option, String first, String second) throws Refusal {
        String word = given.getOrDefault(option, first);
        if (!word.equals(first) && !word.equals(second)) {
            throw new Refusal("option", option + "=" + word + " is not known", first + " or " + second);
        }
        return word.equals(second);
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
        Map.of("secretFile", "secret_file", "tls", "tls", "listen", "listen", "state", "state").forEach((option, name) -> {
            if (given.containsKey(option)) {
                job.put(name, given.get(option));
            }
        });
        if (given.containsKey("epochMs")) {
            job.put("epoch_ms", number("epochMs", 1));
        }
        return Json.text(job);
    }

    /**
     * Of a job that runs: what the job file of option {@code job} says, or the service of option {@code service} of its job of
     * that name, but secret and TLS as options {@code secretFile} and {@code tls} have them.
     */
    public JobAddress address() throws Refusal {
        return found().with(given.get("secretFile"), given.get("tls"));
    }

    private JobAddress found() throws Refusal {
        String service = given.get("service");
        if (service != null) {
            return ServiceJob.of(service, needed("job", "the name of a job of the service"), given.get("tokenFile")).address();
        }
        if (given.containsKey("tokenFile")) {
            throw new Refusal("option", "option `tokenFile` is for a job of a service", "name that by option(\"service\", url)");
        }
        return JobAddress.parse(text(needed("job", "the path of a job file"), "job"));
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
