package io.despina.control.protocol;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import io.despina.json.RecordJson;
import io.despina.link.Attempt;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import java.util.List;

/** The messages about commands of users to running operators, see {@link io.despina.spec.ControlCommand}. */
public interface ControlMessage extends Message {
    /** How long instances may take to answer. */
    long ANSWER_MILLIS = 10_000;
    /** The same of what they are to open, as new code. */
    long MOST_MILLIS = 1_800_000;

    /**
     * To a resource: tell the instances there of these operators.
     *
     * @param number of this message, for {@link Told}
     */
    record Tell(Attempt attempt, long number, String command, List<String> operators, String argument)
            implements ControlMessage, OfJob {
    }

    /** From a resource: what all instances there have answered. */
    record Told(Attempt attempt, long number, List<ControlAnswer> answers) implements ControlMessage, OfJob {
    }

    /**
     * From a resource, and on to that of the instance {@code from}: the slice of what that hands over to the instance {@code to}.
     * Answered with {@link HandedOver} when it is there.
     *
     * @param slice from 0
     */
    record HandOver(Attempt attempt, String operator, int from, int to, int slice) implements ControlMessage, OfJob {
    }

    /** The answer. @param state whose section the slice is of. @param of so many slices */
    record HandedOver(Attempt attempt, String operator, int from, int to, int slice, String state, byte[] bytes, int of)
            implements ControlMessage, OfJob {
    }

    /**
     * From a resource: an operator there tells operators of its job. Answered with {@link Instructed}.
     *
     * @param number   of this message, among those of the resource
     * @param operator empty for all that know the command
     */
    record Instruct(Attempt attempt, long number, String command, String operator, String argument)
            implements ControlMessage, OfJob {
    }

    /** To the resource. @param refused why not all have answered; null if they have */
    record Instructed(Attempt attempt, long number, List<ControlAnswer> answers, String refused)
            implements ControlMessage, OfJob {
    }

    /**
     * From a program: tell operators of a job. Answered with {@link Controlled} when all of their instances have, or {@link
     * Refused}.
     *
     * @param operator empty for all that know the command
     */
    record Control(String job, String command, String operator, String argument) implements ControlMessage {

        /** How long whoever is connected waits for all: the coordinator answers before. */
        public long millis() {
            return 2 * (command.equals(ControlCommand.RELOAD.word()) ? ANSWER_MILLIS + MOST_MILLIS : ANSWER_MILLIS);
        }
    }

    record Controlled(List<ControlAnswer> answers) implements ControlMessage {

        /** {@code {"answers": [{"operator", "instance", "ok", "answer"}]}}. */
        public ObjectNode json() {
            ObjectNode object = Json.object();
            ArrayNode array = object.putArray("answers");
            answers.forEach(each -> array.add(RecordJson.object(each)));
            return object;
        }
    }
}
