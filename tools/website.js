// A page that lies on the disk may start no worker, and the search is one: there it runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        const copy = structuredClone(data);
        setTimeout(() => this.onmessage?.({ data: copy }));
      };
      this.ready = new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = () => resolve(inside);
        script.onerror = (event) => reject(this.onerror?.(event));
        inside.document.head.append(script);
      });
    }
    postMessage(data) {
      const copy = structuredClone(data); // both sides may change what they hold
      this.ready.then((inside) => inside.onmessage?.({ data: copy }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
