/** The protocol between coordinator and resources: messages, refusals, and their JSON. */
package io.despina.control.protocol;
