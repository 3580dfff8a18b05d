package io.despina.control.visit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Conversation;
import io.despina.control.protocol.Credentials;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.wire.Wire;
import java.io.IOException;

/**
 * Where programs of other processes reach a job's coordinator, and what it takes to be let in: what a job file says.
 *
 * @param secret     of this job alone, which the coordinator made up; null if it was given one, which those programs must be
 *                   given too
 * @param secretFile the file that has it; null if it is in the environment
 * @param tls        folder of the files for TLS; null for plain TCP
 */
public record JobAddress(String host, int port, String job, String secret, String secretFile, String tls) {
    private static final long DEPLOYING_MILLIS = 120_000;
    private static final long SAVEPOINT_MILLIS = 3_600_000;

    /** @throws Refusal if it is none */
    public static JobAddress parse(String json) throws Refusal {
        ObjectNode object = GivenJson.parseObject(json, "job file");
        if (!object.path("host").isTextual() || !object.path("port").isInt() || !object.path("job").isTextual()) {
            throw new Refusal("job_file", "a job file has \"host\", \"port\" and \"job\"",
                    "despina run GRAPH --job-file FILE writes one");
        }
        return new JobAddress(object.get("host").asText(), object.get("port").asInt(), object.get("job").asText(),
                text(object, "secret"), text(object, "secret_file"), text(object, "tls"));
    }

    private static String text(ObjectNode object, String name) {
        return object.hasNonNull(name) ? object.get(name).asText() : null;
    }

    /**
     * The same with another place of the secret, and of the files for TLS.
     *
     * @param file   null for what this one says
     * @param folder the same
     */
    public JobAddress with(String file, String folder) {
        return new JobAddress(host, port, job, file == null ? secret : null, file == null ? secretFile : file,
                folder == null ? tls : folder);
    }

    /** Without the secret, which belongs in no log. */
    @Override
    public String toString() {
        return job + " at " + host + ":" + port;
    }

    /** The secret itself. */
    public String known() throws Refusal {
        String known = secret != null ? secret : Credentials.secret(secretFile);
        if (known == null) {
            throw new Refusal("secret_file", "the job's secret was in its environment, and is not in this one",
                    "set " + Credentials.VARIABLE + " here too, or name a file that has it: as \"secret_file\" in the job file, "
                    + "or as Spark's option secretFile");
        }
        return known;
    }

    /**
     * Asks the job's coordinator where an operator's rows are; waits until the job runs.
     *
     * @param way      {@link ProgramMessage.Located#IN} or {@link ProgramMessage.Located#OUT}
     * @param operator empty for the only one of that way
     */
    public ProgramMessage.Located locate(Wire wire, String way, String operator) throws Refusal, InterruptedException {
        try (Conversation coordinator = connect(wire)) {
            return locate(coordinator, way, operator);
        }
    }

    /** A connection to the job's coordinator. */
    public Conversation connect(Wire wire) throws Refusal {
        try {
            return new Conversation(wire, host, port);
        } catch (IOException e) {
            throw gone(e);
        }
    }

    /** As {@link #locate(Wire, String, String)}, over a connection that stays. */
    public ProgramMessage.Located locate(Conversation coordinator, String way, String operator)
            throws Refusal, InterruptedException {
        try {
            byte[] answer = coordinator.ask(new ProgramMessage.Locate(job, way, operator).encode(), DEPLOYING_MILLIS);
            Message message = MessageTypes.decode(answer);
            if (message instanceof Message.Refused no) {
                throw new Refusal(no.rule(), no.message(), no.hint());
            }
            return (ProgramMessage.Located) message;
        } catch (IOException e) {
            throw gone(e);
        }
    }

    /**
     * Stops the job, or has a savepoint of it written, or both.
     *
     * @param stop      as of {@link ProgramMessage.Direct}
     * @param savepoint the same
     */
    public ProgramMessage.Directed direct(Wire wire, String stop, String savepoint) throws Refusal, InterruptedException {
        return (ProgramMessage.Directed) ask(wire, new ProgramMessage.Direct(job, stop, savepoint), SAVEPOINT_MILLIS);
    }

    /**
     * Tells operators of the job.
     *
     * @param command  one of {@link io.despina.spec.ControlCommand}
     * @param operator empty for all that know it
     * @return what their instances have answered, as of {@code Gateway.control}
     */
    public ObjectNode control(Wire wire, String command, String operator, String argument)
            throws Refusal, InterruptedException {
        ControlMessage.Control told = new ControlMessage.Control(job, command, operator, argument);
        return ((ControlMessage.Controlled) ask(wire, told, told.millis())).json();
    }

    private Message ask(Wire wire, Message question, long millis) throws Refusal, InterruptedException {
        try (Conversation coordinator = connect(wire)) {
            Message message = MessageTypes.decode(coordinator.ask(question.encode(), millis));
            if (message instanceof Message.Refused no) {
                throw new Refusal(no.rule(), no.message(), no.hint());
            }
            return message;
        } catch (IOException e) {
            throw gone(e);
        }
    }

    private Refusal gone(IOException why) {
        return new Refusal("job_file", "job " + job + " is not reached: " + why.getMessage(),
                "it has ended, if nobody answers there, or its secret is not known there");
    }

    public ObjectNode json() {
        ObjectNode object = Json.object().put("host", host).put("port", port).put("job", job);
        if (secret != null) {
            object.put("secret", secret);
        }
        if (secretFile != null) {
            object.put("secret_file", secretFile);
        }
        return tls == null ? object : object.put("tls", tls);
    }
}
