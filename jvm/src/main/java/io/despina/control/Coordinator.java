package io.despina.control;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** One for all jobs of a session: checks, plans, places, deploys, runs, reports, stops, cleans up. Thread-safe. */
public final class Coordinator implements AutoCloseable {
    /** The version of this build, from the jar's manifest. */
    private static final String VERSION = versionOf(Coordinator.class);

    public ObjectNode version() {
        return Json.object().put("despina", VERSION).put("java", Runtime.version().toString())
                .put("pid", ProcessHandle.current().pid());
    }

    public ObjectNode check(String graphText, String fileName, String optionsJson) throws Refusal {
        throw notYet();
    }

    public ObjectNode format(String graphText, String fileName) throws Refusal {
        throw notYet();
    }

    public ObjectNode run(String graphText, String fileName, String optionsJson) throws Refusal {
        throw notYet();
    }

    public ObjectNode status(String job) throws Refusal {
        throw notYet();
    }

    public ObjectNode await(String job, long millis) throws Refusal {
        throw notYet();
    }

    public ObjectNode stop(String job, String mode) throws Refusal {
        throw notYet();
    }

    public ObjectNode report(String job) throws Refusal {
        throw notYet();
    }

    public byte[] collected(String job, String sink) throws Refusal {
        throw notYet();
    }

    public ObjectNode console(String job) throws Refusal {
        throw notYet();
    }

    public ObjectNode setSchedule(String job, String operator, String scheduleJson) throws Refusal {
        throw notYet();
    }

    @Override
    public void close() {
    }

    private static Refusal notYet() {
        return new Refusal("not_built", "the coordinator lands next", null);
    }

    private static String versionOf(Class<?> type) {
        String version = type.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
