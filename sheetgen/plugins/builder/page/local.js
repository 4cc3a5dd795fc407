// How the page reaches the session: at the preview's server, which writes the author's file.
export const local = true;

export const connect = () => async (request) => {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
  const answer = await fetch("answer", sent).catch(() => null);
  if (answer && !answer.ok) throw new Error(await answer.text());
  if (!answer) throw new Error("The preview does not answer. Start it again in the terminal.");
  return answer.json();
};
