package io.despina.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.visit.JobAddress;
import io.despina.control.visit.RequestWire;
import io.despina.json.Json;
import io.despina.wire.Wire;

/** What is asked of a job of another process, by its job file. */
final class JobFiles {

    private JobFiles() {
    }

    /** See {@link Gateway#direct}. */
    static ObjectNode direct(String jobFile, String stop, String folder) throws Exception {
        JobAddress job = JobAddress.parse(jobFile);
        try (Wire wire = RequestWire.open(job.job(), job.known(), job.tls())) {
            ProgramMessage.Directed done = job.direct(wire, stop, folder);
            return Json.object().put("epoch", done.epoch()).put("bytes", done.bytes());
        }
    }

    /** See {@link Gateway#controlAt}. */
    static ObjectNode control(String jobFile, String command, String operator, String argument) throws Exception {
        JobAddress job = JobAddress.parse(jobFile);
        try (Wire wire = RequestWire.open(job.job(), job.known(), job.tls())) {
            return job.control(wire, command, operator, argument);
        }
    }
}
